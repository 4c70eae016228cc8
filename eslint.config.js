import tseslint from 'typescript-eslint'

const outsideWorld = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Ask the Clock port.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Ask the Clock port.' },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Ask the Random port.',
  },
  { selector: "CallExpression[callee.name='setTimeout']", message: 'Ask the Clock port.' },
  { selector: "CallExpression[callee.name='fetch']", message: 'Requests go through service/http.' },
]

export default tseslint.config(
  {
    ignores: [
      'config/examples/data/',
      'test/package/sample/',
      'dist/',
      'coverage/',
      'node_modules/',
      'eslint.config.js',
      'rolldown.config.js',
      '.dependency-cruiser.cjs',
      // Copied into other repositories, which have no types of ours.
      'config/deploy/',
    ],
  },
  // A rule holds everywhere, or its exception stands here.
  { linterOptions: { noInlineConfig: true } },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Objects here are closures: none of their methods uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-params': ['error', 4],
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      eqeqeq: 'error',
    },
  },
  { files: ['src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...outsideWorld] } },
  { files: ['src/main.ts', 'src/system.ts'], rules: { 'no-restricted-syntax': 'off' } },
  // It looks into a sandbox of its own, as any client would.
  { files: ['src/app/contract/stage.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['src/**/*.ts'],
    // What it says to the process of its own thread is that it has ended.
    ignores: ['src/main.ts', 'src/system.ts', 'src/store/postgres/connection-thread.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only main.ts and system.ts speak to the process.' },
      ],
    },
  },
  // winston's types describe its transports by interfaces, and never by their classes.
  { files: ['src/log/log.ts'], rules: { '@typescript-eslint/no-unsafe-class-instance-assignment': 'off' } },
  // Behind an asynchronous port the driver is synchronous: its methods have nothing to await.
  {
    files: ['src/store/**/*.ts', 'test/support/state/*.ts'],
    rules: { '@typescript-eslint/require-await': 'off' },
  },
  {
    files: ['test/**/*.ts', '.ci/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'max-params': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
)
