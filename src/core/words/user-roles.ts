// What users of the console may do, from least to most: each role may do what those before it may.
export const USER_ROLES = ['viewer', 'operator', 'approver'] as const

export type UserRole = (typeof USER_ROLES)[number]
