import { GitbeakerRequestError, Gitlab, type MarkdownUploadCreatedSchema, type ProjectSchema } from '@gitbeaker/rest'
import type { ServerProcess } from '../process.ts'

export type Api = InstanceType<typeof Gitlab<false>>

/** A server with builders of users and projects; each test starts its own. */
export interface Fixture {
  url: string
  token: string
  admin: Api
  /** A blank token is sent as a blank header, which means an anonymous request. */
  api(token: string): Api
  group(): Promise<{ id: number; name: string; full_path: string }>
  project(options?: { topics?: string[]; visibility?: 'public' | 'private' }): Promise<ProjectSchema>
  /** Creates a user with a token and, with a project, a membership. */
  user(
    name: string,
    project?: ProjectSchema,
    accessLevel?: AccessLevel,
  ): Promise<{ id: number; username: string; api: Api }>
  upload(project: ProjectSchema, filename: string, api?: Api): Promise<MarkdownUploadCreatedSchema>
}
type AccessLevel = 10 | 20 | 30 | 40

export function openServer({ url, token }: ServerProcess): Fixture {
  const api = (token: string): Api => new Gitlab({ host: url, token })
  const admin = api(token)
  const fixture: Fixture = {
    url,
    token,
    admin,
    api,
    async group() {
      const name = unique('harbour')
      return admin.Groups.create(name, name, { visibility: 'public' })
    },
    async project(options = {}) {
      const { id: namespaceId } = await fixture.group()
      const path = unique('charts')
      return admin.Projects.create({ name: path, path, namespaceId, visibility: 'private', ...options })
    },
    async user(name, project, accessLevel = 10) {
      const { id, username } = await admin.Users.create(person(unique(name)))
      const issued = await admin.Users.createPersonalAccessToken(id, 'story', ['api'], { expiresAt: inDays(7) })
      if (project) await admin.ProjectMembers.add(project.id, accessLevel, { userId: id })
      return { id, username, api: api(`${issued.token}`) }
    },
    upload: (project, filename, api = admin) =>
      api.ProjectMarkdownUploads.create(project.id, { content: new Blob(['bytes']), filename }),
  }
  return fixture
}

/** Returns gitbeaker's description of a rejected request. */
export async function refusal(asked: Promise<unknown>): Promise<{ status: number | undefined; description: string }> {
  const error = await asked.then(
    () => new Error('the request was not refused'),
    (error: unknown) => error,
  )
  if (!(error instanceof GitbeakerRequestError)) throw error
  return { status: error.cause?.response.status, description: error.cause?.description ?? '' }
}

export const unauthorized = { status: 401, description: '401 Unauthorized' }
export const forbidden = { status: 403, description: '403 Forbidden' }
export const noProject = { status: 404, description: '404 Project Not Found' }

let names = 0
export const unique = (word: string) => `${word}-${++names}`

export function person(username: string) {
  const email = `${username}@example.test`
  return { username, email, name: 'Nadia Osei', password: 'correct horse battery', skipConfirmation: true }
}

export function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
