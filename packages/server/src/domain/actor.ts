/** Who causes an audit event, and from where. */
export interface Actor {
  /** Undefined for an anonymous request. */
  readonly user?: Author | undefined
  /** Credential of the request: the id of the token, the session or the trust relation. */
  readonly token?: { readonly id: number; readonly kind: string } | undefined
  /** Administrator who acts as the user with the header `Sudo`. */
  readonly sudoBy?: Author | undefined
  readonly address: string
}

/** User as the audit log names them, also after the account was deleted. */
export interface Author {
  readonly id: number
  readonly username: string
  readonly name: string
}
