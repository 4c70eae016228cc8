// First names that one person goes by: short forms so unlike the full name that no likeness of letters finds them.
// Only common ones, and only those that stand for one name: a wrong entry here would make two people one.

const GROUPS = [
  ['robert', 'bob', 'bobby'],
  ['william', 'bill', 'billy'],
  ['richard', 'dick', 'rick'],
  ['margaret', 'peggy', 'maggie'],
  ['elizabeth', 'elisabeth', 'betty', 'liz', 'beth', 'lisbeth'],
  ['edward', 'ted', 'ned'],
  ['james', 'jim', 'jimmy'],
  ['john', 'jack'],
  ['henry', 'harry'],
  ['anthony', 'tony'],
  ['michael', 'mike', 'mick'],
  ['katherine', 'kate', 'katie', 'kathy'],
  ['charles', 'chuck', 'charlie'],
  ['johannes', 'hans', 'hannes'],
  ['joseph', 'josef', 'sepp', 'joe'],
  ['friedrich', 'fritz'],
  ['heinrich', 'heinz'],
  ['georg', 'schorsch'],
  ['wilhelm', 'willi', 'willy'],
  ['alexandra', 'sandra'],
  ['alexander', 'sascha'],
] as const

const groupOf = new Map(GROUPS.flatMap((names, index) => names.map((name) => [name as string, index])))

export function areNicknames(left: string, right: string): boolean {
  const group = groupOf.get(left)
  return group !== undefined && group === groupOf.get(right)
}
