import type { Deps } from '../../deps.ts'
import type { ListScope } from './filter.ts'
import { listIdentifierNames, listImages, listScannedTypes } from './overview-queries.ts'

const maxImages = 1_000
const maxNames = 50

/** Returns the images of the vulnerabilities of a scope, by name; at most 1,000. */
export const findImages = ({ db }: Deps, { projectIds }: ListScope): Promise<string[]> =>
  listImages(db, projectIds, maxImages)

/** Returns at most 50 names of identifiers that contain a text. */
export const findIdentifierNames = ({ db }: Deps, { projectIds }: ListScope, part: string): Promise<string[]> =>
  listIdentifierNames(db, projectIds, { part, limit: maxNames })

/** Returns the types of the reports that a project has had. */
export const findScannedTypes = ({ db }: Deps, projectId: number): Promise<string[]> => listScannedTypes(db, projectId)
