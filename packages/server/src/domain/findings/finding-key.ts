/** Maximum number of fingerprints per finding. */
export const maxFingerprints = 4

/**
 * Reasons for matching a reported finding with a known one that has another uuid: a former primary identifier; the same
 * fingerprint of the scanner; the same signature; the same place, if the uuid was computed from the place before or
 * after there was a signature; the same code in the same file or in another one; the only finding of its rule in a
 * function; if nothing else is known, the nearest finding of its rule in the file; or a finding that was imported from
 * another product.
 */
export const matchReasons = [
  'identifier',
  'fingerprint',
  'signature',
  'location',
  'code',
  'code_elsewhere',
  'symbol',
  'nearest',
  'imported',
] as const
export type MatchReason = (typeof matchReasons)[number]

export interface FindingKey {
  /** Keys of lower rank are more reliable. */
  rank: number
  key: string
}

export const ranks = { signature: 10, location: 20, code: 30, code_elsewhere: 40, symbol: 50 } as const

export const locationRank = ranks.location

/** Ranks below those of signatures belong to fingerprints: first per file, then across files. */
export const anywhereRank = 1 + maxFingerprints
/** Returns true for the rank of a key that is made of a fingerprint. */
export const isOfFingerprint = (rank: number): boolean => rank < ranks.signature

export function reasonOf(rank: number): MatchReason {
  if (rank < ranks.location) return 'signature'
  const found = Object.entries(ranks).find(([, own]) => own === rank)
  return matchReasons.find((reason) => reason === found?.[0]) ?? 'signature'
}

/** Returns true if several findings may share a key of this rank; they are paired in line order. */
export const mayBeSeveral = (rank: number): boolean => rank <= ranks.code

/** Returns true if keys of this rank identify findings within one file only. */
export const isOfOneFile = (rank: number): boolean =>
  rank !== ranks.code_elsewhere && !(isOfFingerprint(rank) && rank >= anywhereRank)

/** Returns the start line of a location, or 0. */
export function lineOf(location: { readonly [key: string]: unknown }): number {
  const line = location['start_line']
  return typeof line === 'number' ? line : Number(line) || 0
}
