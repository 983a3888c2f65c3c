import { useApiQueries } from '../../../data/api.ts'

/** Maximum number of requests. An address may select any number of projects. */
const maxNamed = 50

/** Returns the paths of projects by their ids, without those that the user cannot see, and without those beyond `maxNamed`. */
export function useProjectNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const found = useApiQueries(
    'GET /projects/{id}',
    ids.slice(0, maxNamed).map((id) => ({ path: { id } })),
  )
  // The schema of a project has no required fields, but these two are always present.
  return new Map(found.map(({ id = 0, path_with_namespace: path = '' }) => [id, path]))
}
