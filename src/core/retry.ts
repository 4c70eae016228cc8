export const DAILY_LIMIT_SUMMARY = 'the daily allowance'
