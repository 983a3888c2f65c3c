/** Tables with a column of GitLab attributes. */
export type AttributeOwner = 'projects' | 'namespaces' | 'hooks'

/** GitLab attributes without an effect here, by GitLab's names, stored so that clients read back what they set. */
export type GitlabAttributes = Readonly<Record<string, boolean | number | string | null>>
