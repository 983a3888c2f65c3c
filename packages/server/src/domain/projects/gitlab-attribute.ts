/** Tables with a column of GitLab attributes. */
export type AttributeOwner = 'projects' | 'namespaces' | 'hooks'

/**
 * GitLab attributes that have no effect here, by GitLab's names. They are stored so that clients read back what they
 * set.
 */
export type GitlabAttributes = Readonly<Record<string, boolean | number | string | null>>
