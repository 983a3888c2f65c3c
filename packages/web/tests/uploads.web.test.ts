/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../server/src/testing/client.ts'
import { choose, copied, filled, note, pasteInto, picture, rowOf, shot, visit } from './uploads.ts'
import { accessProblems, quiet, startWeb, type Web } from './web.ts'

let web: Web
let maintainer: Client
let guest: Client
beforeAll(async () => {
  web = await startWeb()
  const project = await web.server.project('acme/shop')
  maintainer = await web.server.as('maintainer', project)
  guest = await web.server.as('guest', project)
})
afterAll(() => web?.close())

describe('uploading in the UI', () => {
  test('accepts several files and copies the Markdown of one or all', async () => {
    const page = await web.open('/acme/shop', { as: guest })
    await page.getByRole('link', { name: 'Uploads' }).click()
    await page.getByText('Files of up to 100 MiB each.').waitFor()
    await choose(page, shot('first shot.png'), note('notes.txt'))
    await visit(page).getByRole('link', { name: 'first_shot.png' }).waitFor()
    await visit(page).getByRole('link', { name: 'notes.txt' }).waitFor()
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('2 files uploaded.')

    await visit(page).getByRole('button', { name: 'Copy Markdown', exact: true }).first().click()
    await visit(page).getByRole('button', { name: 'Copied' }).waitFor()
    expect(await copied(page)).toMatch(/^!\[first_shot\]\(\/uploads\/[0-9a-f]{32}\/first_shot\.png\)$/)
    await visit(page).getByRole('button', { name: 'Copy all Markdown' }).click()
    await expect.poll(() => copied(page)).toMatch(/^!\[first_shot\].*\n\[notes\.txt\]\(\/uploads\/.*\)$/)

    // Users who may upload but not list see only their recent uploads.
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await visit(page).getByRole('link', { name: 'notes.txt' }).click()
    await page.getByRole('dialog', { name: 'notes.txt' }).getByText('Nothing special.').waitFor()
    await page.keyboard.press('Escape')
    await visit(page).getByRole('button', { name: 'Clear list' }).click()
    await page.getByText('Only maintainers can list uploads').waitFor()
  })

  test('accepts files that are dropped anywhere on the page or pasted', async () => {
    const page = await web.open('/acme/shop/-/uploads', { as: guest })
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      const options = { dataTransfer: data, bubbles: true, cancelable: true }
      document.body.dispatchEvent(new DragEvent('dragover', options))
    })
    await page.getByText('Drop to upload').waitFor()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      const options = { dataTransfer: data, bubbles: true, cancelable: true }
      document.body.dispatchEvent(new DragEvent('drop', options))
    })
    await visit(page).getByRole('link', { name: 'dropped.txt' }).waitFor()
    await expect.poll(() => page.getByText('Drop to upload').count()).toBe(0)
    await pasteInto(page, 'body', 'image.png')
    await visit(page)
      .getByRole('link', { name: /^pasted-\d{4}-\d\d-\d\d-\d{6}\.png$/ })
      .waitFor()
  })

  test('shows progress, can be cancelled and retried, and confirms leaving the page', async () => {
    const page = await web.open('/acme/shop/-/uploads', { as: guest })
    let isStuck = true
    await page.route('**/api/v4/projects/*/uploads', async (route) => {
      while (isStuck) await new Promise((resolve) => setTimeout(resolve, 20))
      await route.continue().catch(() => {})
    })
    await choose(page, note('one.txt'), note('two.txt'), note('three.txt'), note('four.txt'))
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(3)
    await expect.poll(() => visit(page).innerText()).toMatch(/four\.txt\s+16 bytes, queued/)

    let dialogs = 0
    page.on('dialog', (dialog) => {
      dialogs++
      void dialog.dismiss()
    })
    await page.evaluate(() => location.reload())
    await expect.poll(() => dialogs).toBe(1)

    // Other pages can be opened meanwhile.
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Uploads' }).click()
    await visit(page).getByRole('button', { name: 'Cancel two.txt' }).click()
    await visit(page).getByText('Canceled').waitFor()
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(3)
    isStuck = false
    await visit(page).getByRole('link', { name: 'four.txt' }).waitFor()
    await visit(page).getByRole('button', { name: 'Retry two.txt' }).click()
    await visit(page).getByRole('link', { name: 'two.txt' }).waitFor()
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('4 files uploaded.')
    await page.reload()
    expect(dialogs).toBe(1)
  })

  test('does not send files above the size limit or quota, and shows the limits', async () => {
    const small = await web.server.project('acme/small', { visibility: 'public' })
    const limits = { max_upload_bytes: 3000, quota_bytes: 5000 }
    await web.server.admin.put(`/projects/${small.id}/uploads/limits`, limits)
    // Users who are not members share a tenth of the quota.
    await web.server.admin.post(`/projects/${small.id}/members`, { user_id: guest.user?.id, access_level: 10 })
    const page = await web.open('/acme/small/-/uploads', { as: guest })
    await page.getByText('Files of up to 2.9 KiB each, 4.9 KiB in all.').waitFor()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await choose(
      page,
      note('huge.txt', 'x'.repeat(4000)),
      note('a.txt', 'x'.repeat(2900)),
      note('b.txt', 'x'.repeat(2500)),
    )
    await visit(page).getByText('File is 3.9 KiB. Maximum: 2.9 KiB.').waitFor()
    await visit(page).getByText('File is 2.4 KiB. Space left: 2.1 KiB.').waitFor()
    await visit(page).getByRole('link', { name: 'a.txt' }).waitFor()
    expect(sent).toHaveLength(1)
    // Only the quota can change; the limit per file is permanent.
    await visit(page).getByRole('button', { name: 'Retry b.txt' }).waitFor()
    expect(await visit(page).getByRole('button', { name: 'Retry huge.txt' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('1 file uploaded, 2 failed.')
    await page.getByText('1 file, 2.8 KiB of 4.9 KiB').waitFor()
    expect(await accessProblems(page)).toEqual([])
  })

  test('shows errors of the server in its words', async () => {
    const page = await web.open('/acme/shop/-/uploads', { as: guest, expects: /413|503|ERR_FAILED/ })
    const answers = [
      {
        status: 413,
        json: { message: '413 Request Entity Too Large', detail: 'this project takes files of up to 1.0 KiB' },
      },
      { status: 503, json: { message: '503 Service Unavailable' } },
    ]
    await page.route('**/api/v4/projects/*/uploads', (route) => {
      const answer = answers.shift()
      return answer ? route.fulfill(answer) : route.abort()
    })
    await choose(page, note('a.txt'))
    await visit(page).getByText('File is 16 bytes; this project takes files of up to 1.0 KiB.').waitFor()
    await visit(page).getByRole('button', { name: 'Retry a.txt' }).click()
    await visit(page).getByText('The server cannot do this at the moment; try again.').waitFor()
    await visit(page).getByRole('button', { name: 'Retry a.txt' }).click()
    await visit(page).getByText('The connection was lost').waitFor()
  })

  test('stores a file once when the response is lost and the user retries', async () => {
    const project = await web.server.project('acme/lost-response', { visibility: 'public' })
    const page = await web.open('/acme/lost-response/-/uploads', { as: guest, expects: /ERR_FAILED/ })
    let isLost = false
    await page.route('**/api/v4/projects/*/uploads', async (route) => {
      if (isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await choose(page, note('once.txt'))
    await visit(page).getByText('The connection was lost').waitFor()
    await visit(page).getByRole('button', { name: 'Retry once.txt' }).click()
    await visit(page).getByRole('link', { name: 'once.txt' }).waitFor()
    const { body } = await web.server.admin.get(`/projects/${project.id}/uploads`)
    expect(body).toHaveLength(1)
  })

  test('shows the server’s response when a file is rejected while it is sent', async () => {
    const full = await web.server.project('acme/full', { visibility: 'public' })
    await web.server.admin.put(`/projects/${full.id}/uploads/limits`, { max_upload_bytes: 1_000_000 })
    const page = await web.open('/acme/full/-/uploads', { as: guest, expects: /413/ })
    // The limits that the page loaded allow the file.
    const limits = { max_upload_bytes: 1e9, quota_bytes: null, used_bytes: 0, files: 0, unfinished_bytes: 0 }
    await page.route('**/uploads/limits', (route) => route.fulfill({ json: limits }))
    await choose(page, note('large.txt', 'x'.repeat(5_000_000)))
    await visit(page).getByText('File is 4.8 MiB; this project takes files of up to 976.6 KiB.').waitFor()
  })
})

describe('the list of uploads', () => {
  test('has thumbnails, search, filters and sort in the URL, and survives a reload', async () => {
    const listed = await filled(web, maintainer, 'acme/listed', [
      { name: 'plan.png', buffer: picture },
      { name: 'notes.txt', buffer: 'x'.repeat(2000) },
      { name: 'plan.pdf', buffer: '%PDF-1.4' },
    ])
    await web.server.admin.post(`/projects/${listed.id}/uploads`, formWithFile('file', 'from-root.txt', 'x'))
    const page = await web.open('/acme/listed/-/uploads', { as: maintainer })
    const names = () =>
      page
        .getByRole('table')
        .getByRole('row')
        .getByRole('link', { name: /^[^ ]+$/ })
        .allInnerTexts()
    await expect.poll(names).toEqual(['from-root.txt', 'plan.pdf', 'notes.txt', 'plan.png'])
    const thumbnail = rowOf(page, 'plan.png').locator('img')
    await expect.poll(() => thumbnail.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10)

    await page.getByRole('searchbox').fill('plan')
    await expect.poll(names).toEqual(['plan.pdf', 'plan.png'])
    await page.getByLabel('Type').selectOption('Images')
    await expect.poll(names).toEqual(['plan.png'])
    await page.reload()
    await quiet(page)
    expect(await names()).toEqual(['plan.png'])
    await page.goBack()
    await expect.poll(names).toEqual(['plan.pdf', 'plan.png'])

    await page.goto('/acme/listed/-/uploads?order=largest')
    await expect.poll(names).toEqual(['notes.txt', 'plan.png', 'plan.pdf', 'from-root.txt'])
    await page.getByLabel('Uploaded by').selectOption('Administrator')
    await expect.poll(names).toEqual(['from-root.txt'])
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('No results').waitFor()
  })

  test('copies Markdown, deletes several files with undo, and restores deleted files', async () => {
    await filled(
      web,
      maintainer,
      'acme/deleting',
      ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, buffer: name })),
    )
    const page = await web.open('/acme/deleting/-/uploads', { as: maintainer })
    await page.getByRole('button', { name: 'Copy Markdown of b.txt' }).click()
    expect(await copied(page)).toMatch(/^\[b\.txt\]\(\/uploads\//)

    await page.getByRole('checkbox', { name: 'Select a.txt' }).check()
    await page.getByRole('checkbox', { name: 'Select c.txt' }).check()
    const bar = page.getByRole('region', { name: 'Selected files' })
    await expect.poll(() => bar.innerText()).toContain('2 files selected')
    expect(await accessProblems(page)).toEqual([])
    await bar.getByRole('button', { name: 'Copy Markdown' }).click()
    await expect.poll(() => copied(page)).toMatch(/^\[c\.txt\].*\n\[a\.txt\].*$|^\[a\.txt\].*\n\[c\.txt\].*$/)
    await bar.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 files deleted.').waitFor()
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 files restored.').waitFor()
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(4)

    await page.getByRole('button', { name: 'Actions for b.txt' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('b.txt deleted.').waitFor()
    await page.getByRole('link', { name: 'Deleted' }).click()
    expect(new URL(page.url()).search).toBe('?deleted=true')
    await expect.poll(() => rowOf(page, 'b.txt').innerText()).toMatch(/in 7 days/)
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore b.txt' }).click()
    await page.getByText('No deleted uploads').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Uploads' }).click()
    await rowOf(page, 'b.txt').waitFor()
  })

  test('fits a narrow dark screen, and can be paged', async () => {
    const many = Array.from({ length: 31 }, (_, index) => ({ name: `file-${index}.txt`, buffer: 'x' }))
    await filled(web, maintainer, 'acme/many', many)
    const page = await web.open('/acme/many/-/uploads', { as: maintainer, width: 360, theme: 'dark' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(await accessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Next' }).click()
    await rowOf(page, 'file-0.txt').waitFor()
    await expect.poll(() => page.getByText('31–31 of 31').count()).toBe(1)
    await page.getByRole('link', { name: 'file-0.txt' }).click()
    await page.getByRole('dialog', { name: 'file-0.txt' }).waitFor()
    expect(page.url()).toContain('page=2')
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })

  test('is read-only for a session with a read-only token', async () => {
    await filled(web, maintainer, 'acme/read', [{ name: 'a.txt', buffer: 'a' }])
    const reader = await web.server.client(maintainer, { scopes: ['read_api'] })
    const page = await web.open('/acme/read/-/uploads', { as: reader })
    await rowOf(page, 'a.txt').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Choose files' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Actions for a.txt' }).click()
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Preview', 'Download'])

    const guestReader = await web.server.client(guest, { scopes: ['read_api'] })
    const other = await web.open('/acme/shop/-/uploads', { as: guestReader })
    await other.getByRole('heading', { name: 'Access denied' }).waitFor()
    await expect.poll(() => other.getByRole('link', { name: 'Uploads' }).count()).toBe(0)
  })

  test('asks signed-out users to sign in', async () => {
    await web.server.project('acme/open', { visibility: 'public' })
    const page = await web.open('/acme/open/-/uploads')
    await page.getByRole('heading', { name: 'Sign in to upload files' }).waitFor()
    expect(await page.getByRole('main').getByRole('link', { name: 'Sign in' }).getAttribute('href')).toContain(
      'uploads',
    )
  })
})

test('a group has the same upload pages with its own links', async () => {
  const group = (await web.server.admin.post('/groups', { name: 'Papers', path: 'papers', visibility: 'public' })).body
  await web.server.admin.post(`/groups/${group.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })
  const page = await web.open('/groups/papers', { as: maintainer })
  await page.getByRole('link', { name: 'Uploads' }).click()
  await page.getByText('No uploads yet').waitFor()
  await choose(page, shot('shot.png'))
  await rowOf(page, 'shot.png').getByRole('button', { name: 'Copy Markdown of shot.png' }).click()
  const markdown = await copied(page)
  await page.getByRole('button', { name: 'Actions for shot.png' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('shot.png restored.').waitFor()
  await page.getByRole('link', { name: 'Markdown pad' }).click()
  await page.getByRole('textbox', { name: 'Markdown' }).fill(`See ${markdown}`)
  const shown = page.getByRole('region', { name: 'Preview' }).locator('img')
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10)
})
