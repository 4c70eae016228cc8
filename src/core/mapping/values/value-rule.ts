// What a rule of the mapping language (`date`, `country`, `phone`) makes of one text: the form that the service takes, or a
// sentence on why there is none. A rule never throws, and never puts the value itself into its sentence.

/** `''`: the text means blank (a date of zeros). */
export type RuledText = string | { readonly problem: string }

/** Takes a clean text that is not blank. */
export type ValueRule = (text: string) => RuledText
