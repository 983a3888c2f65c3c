import { createHash } from 'node:crypto'
import { RequestFailed } from '@alcove/client'
import { type Change, changeNoun, type Forge } from '../ci/ci-run.ts'
import { wrongUsage } from '../exit.ts'
import { writeMarkdown } from '../formats/markdown.ts'
import type { Io } from '../io.ts'
import type { UploadResult } from '../upload/upload-result.ts'
import { type ForgeApi, isRefused, openForge } from './forge-api.ts'

/** Creates or updates the note of a project on its merge or pull request, and returns what it did. */
export async function writeNote(io: Io, result: UploadResult): Promise<string> {
  const { change, forge } = forgeOfResult(result)
  const marker = markerOf(result.project)
  const body = `${marker}\n${writeMarkdown(result)}`
  const refusals: string[] = []
  for (const token of forge.tokens) {
    try {
      const outcome = await putNote(openForge(io, forge, change.number, token), marker, body)
      return `${outcome} the note on ${changeNoun(forge.kind)} ${change.number}`
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      refusals.push(`${token.variable}: ${error.status} ${error.message}`)
      if (!isRefused(error)) break
    }
  }
  throw wrongUsage(`The note could not be written. ${refusals.join('; ')}. ${hintOf(forge)}`)
}

function forgeOfResult({ ci }: UploadResult): { change: Change; forge: Forge } {
  const change = ci?.change
  if (!ci || !change) throw wrongUsage('There is no merge or pull request to write a note on.')
  const { forge } = change
  if (!forge)
    throw wrongUsage(`${ci.system} does not say where its pull requests are. Notes need GitLab, GitHub or Gitea.`)
  if (forge.tokens.length === 0) throw wrongUsage(`There is no token for the note. ${hintOf(forge)}`)
  return { change, forge }
}

function hintOf({ kind }: Forge): string {
  if (kind === 'gitlab') return 'Set ALCOVE_NOTE_TOKEN to a project access token with the scope api.'
  if (kind === 'github') {
    return 'Pass GITHUB_TOKEN to the step, and permit the job pull-requests: write. Jobs of forks cannot write notes.'
  }
  return 'Set ALCOVE_NOTE_TOKEN to a token that may write issues.'
}

/** Returns the hidden first line by which the note of a project is found again. */
export function markerOf(project: string): string {
  return `<!-- alcove:${createHash('sha256').update(project).digest('hex').slice(0, 16)} -->`
}

/** Makes sure that exactly one note with the marker exists, with this text. */
async function putNote(forge: ForgeApi, marker: string, body: string): Promise<'created' | 'updated' | 'kept'> {
  const found = await findMarked(forge, marker)
  const kept = await updateFirst(forge, found, body)
  if (kept !== undefined) {
    await removeAll(
      forge,
      found.filter(({ id }) => id > kept.id),
    )
    return kept.isChanged ? 'updated' : 'kept'
  }
  const created = await forge.create(body)
  // Another job may have created its note at the same moment. Both jobs keep the older one.
  const older = (await findMarked(forge, marker)).filter(
    ({ id }) => id < created.id && !found.some((one) => one.id === id),
  )
  if (older.length > 0 && (await updateFirst(forge, older, body)) !== undefined) await removeAll(forge, [created])
  return 'created'
}

async function findMarked(forge: ForgeApi, marker: string) {
  return (await forge.list()).filter(({ body }) => body.startsWith(marker))
}

/** Updates the first note that the token may change. Another user may have copied the marker. */
async function updateFirst(
  forge: ForgeApi,
  notes: Awaited<ReturnType<typeof findMarked>>,
  body: string,
): Promise<{ id: number; isChanged: boolean } | undefined> {
  for (const note of notes) {
    if (note.body.trim() === body.trim()) return { id: note.id, isChanged: false }
    try {
      await forge.update(note.id, body)
      return { id: note.id, isChanged: true }
    } catch (error) {
      if (!(error instanceof RequestFailed) || !isRefused(error)) throw error
    }
  }
  return undefined
}

async function removeAll(forge: ForgeApi, notes: readonly { id: number }[]): Promise<void> {
  for (const { id } of notes) {
    await forge.remove(id).catch((error: unknown) => {
      // A note of another user stays.
      if (!(error instanceof RequestFailed)) throw error
    })
  }
}
