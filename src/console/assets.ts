// The style sheet and the icon, under names with a hash of their contents: browsers may cache them permanently.
import { hash } from 'node:crypto'
import { BASE_STYLE } from './styles/base.ts'
import { PARTS_STYLE } from './styles/parts.ts'
import { PRINT_STYLE } from './styles/print.ts'
import { TABLE_STYLE } from './styles/tables.ts'

interface Asset {
  readonly path: string
  readonly type: string
  readonly text: string
}

function asset(name: string, end: 'css' | 'svg', text: string): Asset {
  const type = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }[end]
  return { path: `/assets/${name}-${hash('sha256', text, 'hex').slice(0, 12)}.${end}`, type, text }
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f6f5c"/><path d="M9 13.2A8 8 0 0 1 23 11.5M23 18.8A8 8 0 0 1 9 20.500" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><path d="M23.600 6.800v5.200h-5.200M8.400 25.200V20h5.200" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`

export const ASSETS = {
  style: asset('console', 'css', [BASE_STYLE, PARTS_STYLE, TABLE_STYLE, PRINT_STYLE].join('\n')),
  icon: asset('icon', 'svg', ICON),
} as const
