export type NewOrganization = Pick<Organization, 'name' | 'path' | 'description' | 'isPublic'>

/** What topics and projects belong to. The first one is there from the start, and public. */
export interface Organization {
  id: number
  name: string
  path: string
  description: string
  /** A private one is not there for those who have nothing to do with it. */
  isPublic: boolean
  createdAt: string
  updatedAt: string
}
