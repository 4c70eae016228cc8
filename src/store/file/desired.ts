// The column `desired` of the journal: empty where the whole contact is just what is sent, as for most creates, so that it is
// written and read once instead of twice.

export const AS_FIELDS = ''

/** The whole text; of a row whose fields are about to change, too. */
export const DESIRED = `iif(desired = '${AS_FIELDS}', fields, desired)`
