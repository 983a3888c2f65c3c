/** Tables with a column of GitLab attributes. */
export type AttributeOwner = 'projects' | 'namespaces' | 'hooks' | 'users'

/** Value of an attribute, as in JSON. */
export type GitlabValue =
  | boolean
  | number
  | string
  | null
  | readonly GitlabValue[]
  | { readonly [name: string]: GitlabValue }

/** GitLab attributes without an effect here, by GitLab's names, stored so that clients read back what they set. */
export type GitlabAttributes = Readonly<Record<string, GitlabValue>>
