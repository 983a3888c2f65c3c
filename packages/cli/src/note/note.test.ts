import { describe, expect, test } from 'vitest'
import type { ForgeKind, ForgeToken } from '../ci/ci-run.ts'
import type { Io } from '../io.ts'
import { type ForgeServer, startForge } from '../testing/forge-server.ts'
import { listedFinding, uploadResult } from '../testing/results.ts'
import { markerOf, writeNote } from './note.ts'

const io = { env: {}, fetch: globalThis.fetch, now: () => 0, sleep: async () => {} } as Partial<Io> as Io // what notes use
const marker = markerOf('shop/api')
const jobToken: ForgeToken = { variable: 'CI_JOB_TOKEN', value: 'job' }

/** Writes the note of a result with these findings. */
function note(kind: ForgeKind, forge: ForgeServer, { findings = 0, tokens = [jobToken] } = {}): Promise<string> {
  const change = { number: '12', forge: { kind, apiUrl: forge.url, project: 'shop/api', tokens } }
  const ci = {
    system: 'CI',
    project: 'shop/api',
    ref: 'feature',
    commit: 'a1',
    jobUrl: undefined,
    commitUrl: undefined,
    targetRef: 'main',
    change,
  }
  const rows = Array.from({ length: findings }, (_, index) => listedFinding({ uuid: `u${index}` }))
  return writeNote(io, uploadResult({ new: rows }, { ci }))
}

const others = Array.from({ length: 5 }, (_, index) => ({
  id: index + 1,
  body: `comment ${index}`,
  author: 'reviewer',
}))
const users = { job: 'bot', person: 'reviewer' }

describe.each(['gitlab', 'github', 'gitea'] as const)('a note on %s', (kind) => {
  const noun = kind === 'gitlab' ? 'merge request' : 'pull request'

  test('is created once, then updated, and left alone when nothing has changed', async () => {
    const forge = await startForge({ kind, users })
    forge.notes.push(...others)
    expect(await note(kind, forge)).toBe(`created the note on ${noun} 12`)
    expect(await note(kind, forge, { findings: 2 })).toBe(`updated the note on ${noun} 12`)
    const before = forge.requests.length
    expect(await note(kind, forge, { findings: 2 })).toBe(`kept the note on ${noun} 12`)
    expect(forge.requests.slice(before).every((request) => request.startsWith('GET '))).toBe(true)
    const own = forge.notes.filter(({ author }) => author === 'bot')
    expect(own).toHaveLength(1)
    expect(own[0]?.body).toMatch(/^<!-- alcove:[0-9a-f]{16} -->\n### Security findings: 2 new, 0 fixed, 0 known\n/)
    expect(forge.notes).toHaveLength(6)
  })

  test('is one again after two jobs created it at the same moment', async () => {
    const forge = await startForge({ kind, users })
    forge.beforeCreate = () => {
      delete forge.beforeCreate
      forge.notes.push({ id: 50, body: `${marker}\nof the other job`, author: 'bot' })
    }
    await note(kind, forge)
    expect(forge.notes).toMatchObject([{ id: 50, body: expect.stringContaining('0 new') }])
    forge.notes.push({ id: 60, body: `${marker}\nleft over`, author: 'bot' })
    await note(kind, forge, { findings: 1 })
    expect(forge.notes).toMatchObject([{ id: 50, body: expect.stringContaining('1 new') }])
  })

  test('is created beside a note of another user who copied the marker', async () => {
    const forge = await startForge({ kind, users })
    forge.notes.push({ id: 1, body: `${marker}\nnothing to see`, author: 'reviewer' })
    await note(kind, forge)
    await note(kind, forge, { findings: 1 })
    expect(forge.notes).toMatchObject([
      { body: `${marker}\nnothing to see` },
      { body: expect.stringContaining('1 new') },
    ])
    expect(forge.notes).toHaveLength(2)
  })

  test('uses the next token when one is refused, and names each refusal', async () => {
    const forge = await startForge({ kind, users: { ...users, weak: 'reader' }, readers: ['reader'] })
    const refused = [
      { variable: 'ALCOVE_NOTE_TOKEN', value: 'unknown' },
      { variable: 'GITLAB_TOKEN', value: 'weak' },
    ]
    await expect(note(kind, forge, { tokens: refused })).rejects.toThrow(
      /could not be written\. ALCOVE_NOTE_TOKEN: 401 .*; GITLAB_TOKEN: 403 .*\. (Set|Pass) /,
    )
    expect(await note(kind, forge, { tokens: [...refused, jobToken] })).toContain('created')
    await expect(note(kind, forge, { tokens: [] })).rejects.toThrow('There is no token for the note.')
  })
})

test('a note needs a merge or pull request on a known forge', async () => {
  await expect(writeNote(io, uploadResult())).rejects.toThrow('There is no merge or pull request')
  const ci = {
    system: 'Bitbucket Pipelines',
    project: 'a/b',
    ref: 'x',
    commit: 'a1',
    jobUrl: undefined,
    commitUrl: undefined,
    targetRef: 'main',
  }
  const result = uploadResult({}, { ci: { ...ci, change: { number: '3', forge: undefined } } })
  await expect(writeNote(io, result)).rejects.toThrow('Bitbucket Pipelines does not say where its pull requests are')
})
