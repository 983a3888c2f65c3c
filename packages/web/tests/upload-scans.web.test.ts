import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../server/src/testing/client.ts'
import { filled, picture, rowOf } from './uploads.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
beforeAll(async () => {
  web = await startWeb()
  maintainer = await web.server.user('maria')
})
afterAll(() => web?.close())

test('the list of uploads has the results of virus scans, and the preview of a quarantined file loads nothing', async () => {
  const path = `acme/scans-${randomUUID().slice(0, 8)}`
  await filled(web, maintainer, path, [
    { name: 'threat.png', buffer: picture },
    { name: 'waiting.txt', buffer: 'x' },
    { name: 'clean.txt', buffer: 'x' },
    { name: 'older.txt', buffer: 'x' },
  ])
  // As after scans, because these tests have no scanner.
  const { db } = web.server.deps
  await db.run(
    sql`update uploads set scan_state = 'infected', scan_signature = 'Test.Virus-1' where filename = 'threat.png'`,
  )
  await db.run(sql`update uploads set scan_state = 'pending' where filename = 'waiting.txt'`)
  await db.run(sql`update uploads set scan_state = 'clean' where filename = 'clean.txt'`)

  const page = await web.open(`/${path}/-/uploads`, { as: maintainer })
  await rowOf(page, 'threat.png').getByText('Quarantined: Test.Virus-1').waitFor()
  await rowOf(page, 'waiting.txt').getByText('Virus scan pending').waitFor()
  await rowOf(page, 'clean.txt').getByText('Scanned').waitFor()
  expect(await rowOf(page, 'older.txt').innerText()).not.toMatch(/scan/i)
  expect(await rowOf(page, 'threat.png').locator('img').count()).toBe(0)
  expect(await accessProblems(page)).toEqual([])
  // A request for the file would be a 403, which fails the test.
  await page.getByRole('link', { name: 'threat.png', exact: true }).click()
  await page.getByText('This file is quarantined').waitFor()
})

test('administrators release and delete quarantined files, and see the state of the scanner', async () => {
  const path = `acme/held-${randomUUID().slice(0, 8)}`
  const names = ['false-alarm.txt', 'threat.txt'].map((name) => `${randomUUID().slice(0, 8)}-${name}`)
  const [alarm = '', threat = ''] = names
  await filled(
    web,
    maintainer,
    path,
    names.map((name) => ({ name, buffer: 'x' })),
  )
  const { db } = web.server.deps
  for (const name of names) {
    await db.run(sql`
      update uploads set scan_state = 'infected', scan_signature = 'Test.Virus-1', scanned_at = ${new Date().toISOString()}
      where filename = ${name}`)
  }
  const page = await web.open('/-/admin/quarantine', { as: web.server.admin })
  await page.getByText('No virus scanner is configured').waitFor()
  const row = rowOf(page, alarm)
  await row.getByText('Test.Virus-1').waitFor()
  expect(await row.innerText()).toContain('maria')
  expect(await row.getByRole('link', { name: path }).getAttribute('href')).toBe(`/${path}/-/uploads`)
  expect(await accessProblems(page)).toEqual([])

  await page.getByRole('button', { name: `Release ${alarm}` }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('dialog').getByText('only if this is a false positive').waitFor()
  await page.getByRole('button', { name: 'Release file' }).click()
  await page.getByText(`${alarm} released.`).waitFor()
  await page.getByRole('button', { name: `Delete ${threat}` }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await page.getByRole('button', { name: 'Delete file' }).click()
  await page.getByText(`${threat} deleted.`).waitFor()
  await expect.poll(() => row.count()).toBe(0)
  await expect.poll(() => rowOf(page, threat).count()).toBe(0)
  const [released] = await db.all(sql`select scan_state from uploads where filename = ${alarm}`)
  expect(released).toEqual({ scanState: 'released' })
})
