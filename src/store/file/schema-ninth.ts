// The statements of the ninth schema.

// Fingerprints are walked in the order of their links (journal/reading/fingerprints.ts): an index over their values, which lie in no
// order, was a page to read and to write for each new record. States at a server that have it keep it: workers of the versions
// before may ask it.
export const ninth = 'DROP INDEX fingerprint_by_value;'
