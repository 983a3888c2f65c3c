import { failureFrom, RequestFailed } from '@alcove/client'
import type { Forge, ForgeKind, ForgeToken } from '../ci/ci-run.ts'
import type { Io } from '../io.ts'
import { retryingFetch } from '../retry.ts'

/** A note on a merge request, or a comment on a pull request. */
interface ForgeNote {
  id: number
  body: string
}

/** The requests about the notes of one merge or pull request. */
export interface ForgeApi {
  list(): Promise<ForgeNote[]>
  create(body: string): Promise<ForgeNote>
  update(id: number, body: string): Promise<void>
  remove(id: number): Promise<void>
}

/** True if another token may have the rights that this one lacks. */
export function isRefused({ status }: RequestFailed): boolean {
  return status === 401 || status === 403 || status === 404
}

const pageSize = 100
const maxPages = 100
const retryMs = 20_000
const attemptMs = 30_000

/** Addresses of notes, below the address of the API. */
interface NotePaths {
  list: string
  note(id: number): string
  updateMethod: 'PUT' | 'PATCH'
}

/** Creates the requests for a change, sent with one token. */
export function openForge(io: Io, forge: Forge, number: string, token: ForgeToken): ForgeApi {
  const fetch = retryingFetch(io, { retryMs, attemptMs })
  const paths = pathsOf(forge, number)
  async function send(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(`${forge.apiUrl}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'alcove',
        ...authorization(forge.kind, token),
        ...(body && { 'content-type': 'application/json' }),
      },
      // A token must not follow a redirect to another host.
      redirect: 'error',
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await rejection(response)
    return response
  }
  return {
    async list() {
      const notes: ForgeNote[] = []
      for (let page = 1; page <= maxPages; page++) {
        const response = await send('GET', `${paths.list}?per_page=${pageSize}&limit=${pageSize}&page=${page}`)
        notes.push(...readNotes(await response.json()))
        // Gitea returns every comment at once, without a link to a next page.
        if (!/rel="?next"?/.test(response.headers.get('link') ?? '')) break
      }
      return notes.sort((one, other) => one.id - other.id)
    },
    async create(body) {
      const [note] = readNotes([await (await send('POST', paths.list, { body })).json()])
      if (!note) throw new RequestFailed(502, 'the response is not a note')
      return note
    },
    async update(id, body) {
      await send(paths.updateMethod, paths.note(id), { body })
    },
    async remove(id) {
      await send('DELETE', paths.note(id))
    },
  }
}

function pathsOf({ kind, project }: Forge, number: string): NotePaths {
  if (kind === 'gitlab') {
    const list = `/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`
    return { list, note: (id) => `${list}/${id}`, updateMethod: 'PUT' }
  }
  const issues = `/repos/${project.split('/').map(encodeURIComponent).join('/')}/issues`
  return {
    list: `${issues}/${encodeURIComponent(number)}/comments`,
    note: (id) => `${issues}/comments/${id}`,
    updateMethod: 'PATCH',
  }
}

function authorization(kind: ForgeKind, { variable, value }: ForgeToken): Record<string, string> {
  if (kind === 'gitlab') return { [variable === 'CI_JOB_TOKEN' ? 'job-token' : 'private-token']: value }
  return { authorization: `${kind === 'github' ? 'Bearer' : 'token'} ${value}` }
}

function readNotes(rows: unknown): ForgeNote[] {
  if (!Array.isArray(rows)) throw new RequestFailed(502, 'the response is not a list of notes')
  return rows.flatMap((row: Partial<ForgeNote> | null) =>
    typeof row?.id === 'number' && typeof row.body === 'string' ? [{ id: row.id, body: row.body }] : [],
  )
}

async function rejection(response: Response): Promise<RequestFailed> {
  const { status, detail } = await failureFrom(response)
  return new RequestFailed(status, detail ?? response.statusText)
}
