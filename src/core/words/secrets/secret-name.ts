// What the name of a value says about it: whether it is a secret. Wherever options are free (headers, options of a module, arguments of
// a tap, parameters of an address) nothing else tells. Two questions, one for each way to be wrong.

/** For what is masked or hidden only if it is one, and must not be taken for one otherwise. */
const CERTAIN = /token|secret|passw|^pass$|pwd|auth(?!or(?!iz))|credential|signature|^sig$|session|key$/i

/** For what had better be hidden once too often. */
const LIKELY =
  /key(?!w)|pass(?:code|phrase|$|[^a-z])|bearer|cookie|jwt|dsn|sig$|webhook|smtp$|private|\bpem$|(?:^|[-_])(?:pin|pw)$/i

/** Rather too few names than too many. */
export const isSecretName = (name: string): boolean => CERTAIN.test(name)

/** Rather too many names than too few. */
export const maybeSecretName = (name: string): boolean => CERTAIN.test(name) || LIKELY.test(name)

/** `--token=abc`, `"api_key": "abc"`, `Password=abc;` */
const PAIR = /["']?([\w.-]+)["']?\s*[=:]\s*["']?([^\s"';,&}]+)/g
const USER_INFO = /:\/\/([^\s/?#@]*)@/g
/** A user's name is shorter than a token in its place. */
const SHORTEST_TOKEN = 16
const SHORTEST_MASKED = 8

/** A secret, and the name before it; `password` for that of an address. */
export interface NamedSecret {
  readonly name: string
  readonly value: string
}

function ofUserInfo(info: string): readonly NamedSecret[] {
  const [user = '', ...rest] = info.split(':')
  const password = rest.join(':')
  const value = password === '' ? user : password
  return password === '' && user.length < SHORTEST_TOKEN ? [] : [{ name: 'password', value }]
}

/** The secrets in a text that is none itself: an address, a connection string, JSON or an argument. */
export function secretsInText(text: string): readonly NamedSecret[] {
  const infos = [...text.matchAll(USER_INFO)].flatMap(([, info = '']) => ofUserInfo(info))
  const pairs = [...text.matchAll(PAIR)].map(([, name = '', value = '']) => ({ name, value }))
  return [...infos, ...pairs.filter(({ name }) => maybeSecretName(name))]
}

/** Shorter ones may be ordinary words, and after a name that ends with `key` names of columns. Masked in every line of the log, they would make it unreadable. */
export const isMaskable = ({ name, value }: NamedSecret): boolean =>
  value.length >= (/key$/i.test(name) ? SHORTEST_TOKEN : SHORTEST_MASKED)
