import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { quiet, type Web } from './web.ts'

export type OpenOptions = Parameters<Web['open']>[1]

/** Password of every user of the test server. */
export const password = 'correct horse battery'

/** Opens a page like `web.open`, signed in with a password. */
export async function openSignedIn(web: Web, login: string, path: string, options: OpenOptions = {}): Promise<Page> {
  const page = await web.open('/-/sign_in', options)
  const reply = await page.context().request.post(`${web.origin}/-/sessions`, { data: { login, password } })
  expect(reply.status()).toBe(201)
  await page.goto(path)
  await quiet(page)
  return page
}
