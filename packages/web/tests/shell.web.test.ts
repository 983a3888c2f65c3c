/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessProblems, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
  await web.server.project('acme/shop', { visibility: 'public' })
  await web.server.project('acme/secret')
})
afterAll(() => web?.close())

describe('the HTML page', () => {
  test('has a policy without foreign sources, and refers to immutable files', async () => {
    const reply = await web.server.anonymous.get('//', { headers: { accept: 'text/html' } })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(reply.headers['content-security-policy']).toMatch(/^default-src 'self'; /)
    expect(reply.headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(reply.headers['cache-control']).toBe('no-cache')
    expect(reply.text).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/)

    const script = /src="(\/-\/assets\/[^"]+\.js)"/.exec(reply.text)?.[1] ?? ''
    const file = await web.server.anonymous.get(`/${script}`, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(file.status).toBe(200)
    expect(file.headers['content-encoding']).toBe('br')
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each(['br', 'gzip'])('is sent in %s, with an ETag of that encoding', async (encoding) => {
    const { anonymous } = web.server
    const headers = { accept: 'text/html', 'accept-encoding': encoding }
    const plain = await anonymous.get('//', { headers: { accept: 'text/html' } })
    const compressed = await anonymous.get('//', { headers })
    expect(compressed).toMatchObject({ status: 200, text: plain.text })
    expect(compressed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(compressed.bytes.length),
      vary: 'Origin, Accept, Accept-Encoding',
    })
    const { etag = '' } = compressed.headers
    expect(etag).not.toBe(plain.headers['etag'])
    const unchanged = await anonymous.get('//', { headers: { ...headers, 'if-none-match': etag } })
    expect(unchanged).toMatchObject({ status: 304, text: '' })
    expect(unchanged.headers['content-encoding']).toBeUndefined()
  })

  test('has scripts whose ranges are parts of the sent encoding', async () => {
    const { anonymous } = web.server
    const page = await anonymous.get('//', { headers: { accept: 'text/html' } })
    const script = `/${/src="(\/-\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? ''}`
    const [plain, br] = await Promise.all([
      anonymous.get(script),
      anonymous.get(script, { headers: { 'accept-encoding': 'br' } }),
    ])
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const reply of [plain, br]) expect(reply.headers['vary']).toMatch(/^Origin, accept-encoding$/i)
    expect(br.headers['etag']).not.toBe(plain.headers['etag'])
    expect(br.text).toBe(plain.text)
    expect((await anonymous.get(script, { headers: { 'accept-encoding': 'br;q=0' } })).text).toBe(plain.text)
    const part = await anonymous.get(script, { headers: { range: 'bytes=10-19' } })
    expect(part).toMatchObject({ status: 206, bytes: plain.bytes.subarray(10, 20) })
  })

  test('is revalidated by an ETag of its content', async () => {
    const accept = 'Text/HTML'
    const first = await web.server.anonymous.get('//acme/shop', { headers: { accept } })
    const { etag = '' } = first.headers
    // Packages set the same date on all files, and pages of two builds have the same size.
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(first.headers['last-modified']).toBeUndefined()
    expect(first.headers['vary']).toBe('Origin, Accept, Accept-Encoding')
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await web.server.anonymous.get('//elsewhere', { headers: { accept, 'if-none-match': known } })
      expect(again).toMatchObject({ status: 304, text: '' })
      expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy'])
    }
    const other = { accept, 'if-none-match': '"other"', 'if-modified-since': new Date(2 ** 42).toUTCString() }
    expect((await web.server.anonymous.get('//acme/shop', { headers: other })).status).toBe(200)
    expect(await web.server.anonymous.head('//acme/shop', { headers: { accept } })).toMatchObject({
      status: 200,
      text: '',
    })
  })

  test('serves files from the assets folder only', async () => {
    const ways = ['../', '%2e%2e/', '..%2f', '..%5c', '..\\\\', '%252e%252e%252f', '....//', '/', '%00']
    for (const way of ways) {
      const { status, text } = await web.server.anonymous.get(`//-/assets/${way}index.html`)
      expect([400, 404], way).toContain(status)
      expect(text).not.toContain('<')
    }
  })

  test('is returned to browsers only; other clients get the response of the API', async () => {
    const page = { accept: 'text/html,*/*' }
    expect((await web.server.anonymous.get('//acme/shop', { headers: page })).text).toContain('<!doctype html>')
    for (const path of ['//acme/shop', '//-/assets/none.js', '//api/v4/none', '//uploads/none']) {
      expect((await web.server.anonymous.get(path)).status, path).toBe(404)
    }
    for (const path of ['//-/assets/none.js', '//api/v4/none', '//uploads/none']) {
      expect((await web.server.anonymous.get(path, { headers: page })).status, path).toBe(404)
    }
  })

  test('shows "not found" at an unknown address', async () => {
    const page = await web.open('/-/nothing-here')
    await expect.poll(() => page.locator('main').innerText()).toContain('Page not found')
  })
})

describe('signing in', () => {
  test('with a password returns to the previous page, and the user can sign out', async () => {
    await web.server.user('nadia')
    const page = await web.open('/explore/projects', { expects: /401/ })
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username').fill('nadia')
    await page.getByLabel('Password').fill('guess')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Incorrect username or password.').waitFor()
    expect(await accessProblems(page)).toEqual([])

    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: /^nadia/ }).click()
    expect(new URL(page.url()).pathname).toBe('/explore/projects')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    // The server still recognises the browser at the next sign-in.
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['alcove_browser'])
  })

  test('with a token shows what the token may access', async () => {
    const page = await web.open('/-/sign_in', {})
    await page.getByRole('button', { name: 'Use an access token instead' }).click()
    await page.getByLabel('Access token').fill(web.server.admin.token ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Admin' }).waitFor()
  })

  test('never redirects to another site', async () => {
    for (const to of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example/',
      '/.//evil.example/',
    ]) {
      const page = await web.open(`/-/sign_in?to=${encodeURIComponent(to)}`, { as: web.server.admin })
      expect(page.url(), to).toBe(`${web.origin}/`)
    }
  })
})

describe('the theme', () => {
  test('follows the system until the user chooses one, which is kept', async () => {
    const page = await web.open('/explore/projects', { theme: 'dark' })
    const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const dark = await canvas()
    await page.getByRole('button', { name: 'Appearance' }).click()
    await page.getByLabel('Light').check()
    await expect.poll(canvas).not.toBe(dark)
    const light = await canvas()
    await page.reload()
    await page.getByText('Projects').first().waitFor()
    expect(await canvas()).toBe(light)
  })
})

test('the account menu leads to the help, which has keyboard shortcuts, the API and the changes', async () => {
  const page = await web.open('/explore/projects', { width: 360 })
  await page.getByRole('button', { name: 'Appearance' }).click()
  await page.getByRole('link', { name: 'Help' }).click()
  const shortcuts = page.getByRole('region', { name: 'Keyboard shortcuts' })
  for (const key of ['Next row', 'Confirm', 'Dismiss', 'Undo'])
    await shortcuts.getByText(key, { exact: true }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'What’s new' }).click()
  await page.getByText('Web UI', { exact: true }).click()
  await page.getByText('The search of the header').first().waitFor()
  expect(await accessProblems(page)).toEqual([])
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Help' }).click()
  await page.getByRole('link', { name: 'The API reference' }).click()
  await page.waitForURL('**/-/api')
})

test('the navigation of a narrow screen is behind a button that works with the keyboard', async () => {
  const page = await web.open('/explore/topics', { as: web.server.admin, width: 360, height: 640 })
  const header = page.getByRole('banner')
  const nav = header.getByRole('navigation', { name: 'Main' })
  await expect.poll(() => nav.count()).toBe(0)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const button = header.getByRole('button', { name: 'Menu' })
  await button.and(page.locator(':focus')).waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('Enter')
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('true')
  expect(await nav.getByRole('link').allInnerTexts()).toEqual([
    ...['Vulnerabilities', 'Projects', 'Groups', 'Topics', 'Admin', 'API'],
  ])
  expect(await nav.getByRole('link', { name: 'Topics' }).getAttribute('aria-current')).toBe('page')
  expect(await accessProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await button.and(page.locator(':focus')).waitFor()
  await expect.poll(() => nav.count()).toBe(0)

  await page.keyboard.press('Enter')
  for (let step = 0; step < 9; step++) await page.keyboard.press('Tab')
  await header
    .getByRole('button', { name: /account/ })
    .and(page.locator(':focus'))
    .waitFor()
  await expect.poll(() => nav.count()).toBe(0)
  await button.click()
  await nav.getByRole('link', { name: 'Admin' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/-/admin')
  await expect.poll(() => nav.count()).toBe(0)
  for (const width of [360, 752, 753]) {
    await page.setViewportSize({ width, height: 640 })
    const sizes = await header.locator('*').evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth))
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), String(width)).toBeLessThan(1)
    expect(Math.max(...sizes), String(width)).toBeLessThan(2)
  }
})

test('current and focused elements remain visible with forced colors', async () => {
  const page = await web.open('/acme/shop', { as: web.server.admin, isChanged: true })
  await page.emulateMedia({ forcedColors: 'active' })
  const parts = page.getByRole('navigation', { name: 'shop: sections' })
  const marks = () =>
    parts.getByRole('link').evaluateAll((links) =>
      links.map((link) => {
        const { outlineStyle, borderBottomColor } = getComputedStyle(link)
        return `${outlineStyle} ${borderBottomColor === getComputedStyle(document.body).backgroundColor}`
      }),
    )
  const [current, ...others] = await marks()
  expect(new Set(others).size).toBe(1)
  expect(others).not.toContain(current)
  await parts.getByRole('link', { name: 'Uploads' }).focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  expect(new Set((await marks()).slice(1)).size).toBe(2)
})

test('reduced motion disables transitions', async () => {
  const page = await web.open('/-/sign_in') // every page of these tests requests reduced motion
  const button = page.getByRole('button', { name: 'Sign in', exact: true }).first()
  const colour = await button.evaluate((element: HTMLElement) => {
    getComputedStyle(element).backgroundColor // a change begins where something was shown before
    element.style.backgroundColor = 'rgb(1, 2, 3)'
    return getComputedStyle(element).backgroundColor
  })
  expect(colour).toBe('rgb(1, 2, 3)')
})

test('focused elements are not hidden by the header', async () => {
  const page = await web.open('/-/api', { height: 450 })
  const links = page.getByRole('main').getByRole('listitem').getByRole('link')
  await links.nth(40).focus()
  const bottom = (await page.getByRole('banner').boundingBox())?.height ?? 0
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press('Shift+Tab')
    const top = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0)
    expect(top).toBeGreaterThanOrEqual(bottom)
  }
})

test('an HTML response instead of JSON is shown as an error that can be retried', async () => {
  const page = await web.open('/', { as: web.server.admin, isChanged: true })
  await page.clock.install()
  const portal = { status: 200, contentType: 'text/html', body: '<h1>Sign in to the café' }
  await page.route('**/api/v4/**', (route) => route.fulfill(portal))
  await page.goto('/explore/projects')
  const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
  const isSaid = async () => {
    await page.clock.fastForward(3_000)
    return again.isVisible()
  }
  await expect.poll(isSaid).toBe(true)
  await page.unroute('**/api/v4/**')
  await again.click()
  await page.getByRole('list', { name: 'Projects' }).waitFor()
})

test('signed-out users see and search only public projects', async () => {
  const page = await web.open('/explore/projects')
  const main = page.getByRole('main')
  await expect.poll(() => main.getByRole('list', { name: 'Projects' }).getByRole('listitem').count()).toBe(1)
  expect(await main.innerText()).not.toContain('secret')
  await page.getByRole('searchbox', { name: 'Search projects' }).fill('nothing like it')
  await page.getByText('No projects', { exact: true }).waitFor()
  expect(page.url()).toContain('search=nothing+like+it')
  await page.reload()
  await page.getByText('No projects', { exact: true }).waitFor()
})

test('a page beyond the end of a list shows the last page', async () => {
  for (let number = 1; number <= 31; number++) {
    await web.server.admin.post('/groups', { name: `Many ${number}`, path: `many-${number}` })
  }
  const page = await web.open('/explore/groups?search=many&page=3', { as: web.server.admin })
  await page.getByRole('navigation', { name: 'Pagination' }).getByText('31–31 of 31').waitFor()
  expect(new URL(page.url()).search).toBe('?search=many&page=2')
  await page.goto('/explore/groups?search=many-31&page=2')
  await page.getByRole('link', { name: 'Many 31' }).waitFor()
  expect(new URL(page.url()).search).toBe('?search=many-31')
})

test('a hidden project looks like a missing one', async () => {
  const shop = await web.open('/acme/shop')
  await expect.poll(() => shop.locator('main').innerText()).toContain('shop')
  const hidden = await web.open('/acme/secret', { expects: /404/ })
  const absent = await web.open('/acme/absent', { expects: /404/ })
  await expect.poll(() => hidden.locator('main').innerText()).toBe(await absent.locator('main').innerText())
})
