/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { active, fill } from './vulnerabilities.ts'
import { startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

const titles = Array.from({ length: 14 }, (_, index) => `Flaw ${String.fromCharCode(65 + index)}`)
const stateAfter = { c: 'confirmed', r: 'resolved', v: 'detected' } as const

/** Creates a seeded random number generator. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Model of the keys without a server: each key acts on the row that is active when it is pressed. */
function expected(keys: readonly string[]) {
  const states: string[] = titles.map(() => 'detected')
  const journal: { row: number; before: string }[] = []
  let cursor = 0
  const last = titles.length - 1
  for (const key of keys) {
    if (key === 'j') cursor = Math.min(cursor + 1, last)
    else if (key === 'k') cursor = Math.max(cursor - 1, 0)
    else if (key === 'z') {
      const step = journal.pop()
      if (step) states[step.row] = step.before
    } else {
      const after = stateAfter[key as keyof typeof stateAfter] // the other keys are above
      const before = states[cursor] ?? ''
      if (before !== after) journal.push({ row: cursor, before })
      states[cursor] = after
      cursor = Math.min(cursor + 1, last)
    }
  }
  return { states: Object.fromEntries(titles.map((title, index) => [title, states[index]])), active: titles[cursor] }
}

/**
 * Keys for lists of all statuses, where rows keep their places, and of open ones, where rows leave and only forward
 * moves are compared.
 */
test.each([
  { seed: 1, query: '?state=any', keys: 'ccrrvjjkz' },
  { seed: 2, query: '?state=any', keys: 'crrvjkzz' },
  { seed: 3, query: '?state=any', keys: 'crvjkkkz' },
  { seed: 4, query: '', keys: 'rrcj' },
  { seed: 5, query: '', keys: 'rj' },
])('random keys with delayed responses give the results of the model: %j', async ({ seed, query, keys }) => {
  const random = numbersFrom(seed)
  const path = `acme/model-${seed}`
  const project = await web.server.project(path)
  await fill(
    web,
    project,
    titles.toReversed().map((title) => ({ title })),
  )
  const as = await web.server.as('maintainer', project)
  const page = await web.open(`/${path}/-/vulnerabilities${query}`, { as })
  await page.route('**/api/v4/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, random() * 120))
    await route.continue()
  })
  const pressed = Array.from({ length: query ? 30 : 10 }, () => keys.charAt(Math.floor(random() * keys.length)))
  for (const key of pressed) {
    await page.keyboard.press(key)
    if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, random() * 250))
  }
  const wanted = expected(pressed)
  expect(await active(page), pressed.join('')).toBe(wanted.active)
  const states = async () => {
    const { body } = await web.server.admin.get(`/projects/${project.id}/vulnerabilities`)
    return Object.fromEntries(body.map(({ title, state }: Record<string, string>) => [title, state]))
  }
  await expect.poll(states, { message: pressed.join('') }).toEqual(wanted.states)
  // After a refetch the cursor is still on its row.
  await expect.poll(() => active(page)).toBe(wanted.active)
})
