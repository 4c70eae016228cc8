// What stands for "nothing" in a field, whether it was emptied or never filled.

export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
