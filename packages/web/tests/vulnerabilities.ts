/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import { insertMadeUp, type MadeUp, usual } from '../../server/src/testing/reports/vulnerabilities.ts'
import type { TestProject } from '../../server/src/testing/server.ts'
import type { Web } from './web.ts'

const low = { ...usual, severity: 'low' } as const
const lastIds = new WeakMap<Web, number>()

/** Creates vulnerabilities in a project; the last one is the newest. */
export async function fill(web: Web, project: TestProject, made: readonly (Partial<MadeUp> & { title: string })[]) {
  const first = (lastIds.get(web) ?? 0) + 1
  lastIds.set(web, first + made.length)
  const rows = made.map((fields, index) => ({ ...low, ...fields, id: first + index, projectId: project.id }))
  await insertMadeUp(web.server.deps.db, rows, web.server.deps.now())
}

export const grid = (page: Page) => page.getByRole('grid', { name: 'Vulnerabilities' })
export const row = (page: Page, title: string) => grid(page).getByRole('row').filter({ hasText: title })
export const active = (page: Page) => page.locator('[data-active] a').innerText()
export const total = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^(More than )?[\d,]+ vulnerabilit|selected/ })
    .first()

/** Opens the status menu and selects a status. The menu shows a count for each. */
export async function chooseStatus(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('menuitemcheckbox', { name: new RegExp(name) }).click()
  await page.keyboard.press('Escape')
}
