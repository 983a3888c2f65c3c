/** The table of what has them. */
export type AttributeOwner = 'projects' | 'namespaces' | 'hooks'

/** Attributes of GitLab that have no effect here, by GitLab's names. They are stored so that clients read what they set. */
export type GitlabAttributes = Readonly<Record<string, boolean | number | string | null>>
