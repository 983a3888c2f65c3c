/** Tables whose rows have custom attributes. */
export type CustomAttributeOwner = 'projects' | 'namespaces' | 'users'

/** Attribute that administrators define. */
export interface CustomAttribute {
  key: string
  value: string
}

/** Values that a row must have, by key. */
export type CustomAttributeFilter = Readonly<Record<string, string>>
