export type NewOrganization = Pick<Organization, 'name' | 'path' | 'description' | 'isPublic'>

/** Owner of topics and projects. The first organization exists from the start and is public. */
export interface Organization {
  id: number
  name: string
  path: string
  description: string
  /** A private organization is hidden from users who did not create it and are not members of anything in it. */
  isPublic: boolean
  createdAt: string
  updatedAt: string
}
