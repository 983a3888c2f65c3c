export interface ScanRules {
  reportTypes: readonly string[]
  identifiers: readonly { externalType: string; fingerprint: string }[]
}
