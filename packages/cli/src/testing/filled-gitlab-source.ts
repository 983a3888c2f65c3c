import { type GitlabSource, startGitlabSource } from './gitlab-source.ts'

export const uploadSecret = 'a'.repeat(32)
const nadia = { id: 7, username: 'nadia', name: 'Nadia', state: 'active' }

/** A group with three projects, as an administrator of GitLab sees it. */
export async function filledSource(): Promise<GitlabSource> {
  const source = await startGitlabSource()
  const { answers } = source
  const group = { id: 3, name: 'Shop', path: 'shop', full_path: 'shop', parent_id: null, visibility: 'private' }
  answers.set('/groups/shop', group)
  answers.set('/groups/3', group)
  answers.set('/groups/3/subgroups', [])
  answers.set('/groups/3/members', [{ ...nadia, access_level: 50, expires_at: null }])
  answers.set('/groups/3/uploads', [])
  answers.set('/users/7', { ...nadia, email: 'nadia@example.test', confirmed_at: '2024-01-01T00:00:00Z' })
  answers.set('/topics', [])
  answers.set('/groups/3/projects', [projectOf(11), projectOf(12), projectOf(13)])
  for (const id of [11, 12, 13]) {
    answers.set(`/projects/${id}`, projectOf(id))
    for (const list of ['members', 'uploads', 'vulnerabilities']) answers.set(`/projects/${id}/${list}`, [])
  }
  const description = `![plan](/uploads/${uploadSecret}/plan.txt)`
  answers.set('/projects/11/issues', [{ id: 1, iid: 1, description, user_notes_count: 0 }])
  answers.set('/projects/11/uploads', [
    { id: 5, size: 8, filename: 'plan.txt', created_at: '2024-02-03T04:05:06.000Z', uploaded_by: nadia },
  ])
  answers.set('/projects/11/uploads/5', Buffer.from('the plan'))
  answers.set(`/projects/11/uploads/${uploadSecret}/plan.txt`, Buffer.from('the plan'))
  answers.set('graphql', { data: { project: { vulnerabilities: { nodes: [], pageInfo: { hasNextPage: false } } } } })
  return source
}

export const projectOf = (id: number) => ({
  id,
  name: `Project ${id}`,
  path: `p${id}`,
  path_with_namespace: `shop/p${id}`,
  description: null,
  visibility: 'private',
  default_branch: null,
  topics: [],
  archived: false,
  namespace: { id: 3, kind: 'group', full_path: 'shop' },
})
