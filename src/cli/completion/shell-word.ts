// Texts as words of a shell: in a script of completion, and in a command that is shown to be copied.

export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** An argument of a command. A key comes from a source, and may hold what a shell would act upon. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text))
