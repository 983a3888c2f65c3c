/**
 * State of the virus scan of an upload. `not_scanned`: uploaded without a scanner, or too large for it. `released`: a false
 * positive by the decision of an administrator.
 */
export const scanStates = ['not_scanned', 'pending', 'clean', 'infected', 'released'] as const

export interface UploadScan {
  state: (typeof scanStates)[number]
  /** Name of the signature that was found; also of released uploads. */
  signature: string | null
  /** Time of the result. */
  at: string | null
}
