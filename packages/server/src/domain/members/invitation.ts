/** Invitation of an e-mail address to a project or group. */
export interface Invitation {
  id: number
  /** Exactly one of `projectId` and `namespaceId` is set. */
  projectId: number | null
  namespaceId: number | null
  email: string
  accessLevel: number
  /** Expiry date of the membership as YYYY-MM-DD. */
  expiresOn: string | null
  linkExpiresAt: string
  /** User who created the current link or changed the invitation last. */
  invitedById: number
  inviterName: string
  /** Whether that request had administrator rights. */
  asAdmin: boolean
  /** Whether a user without administrator rights has seen the link, which then does not prove the e-mail address. */
  isLinkShown: boolean
  createdAt: string
}

/** New link of an invitation. Only its digest is stored. */
export interface InvitationLink {
  secret: string
  expiresAt: string
}
