/// <reference lib="dom" />
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderMarkdown } from '../../server/src/domain/markdown/render.ts'
import { sanitise } from '../../server/src/domain/markdown/sanitise.ts'
import { anyHostileText } from '../../server/src/testing/hostile/any-text.ts'
import { hostileMarkdown } from '../../server/src/testing/hostile/markdown.ts'
import { openPage } from './pages.ts'

let page: Page
beforeAll(async () => {
  page = (await openPage('about:blank')).page
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('dompurify/dist/purify.min.js'), 'utf8'))
})
afterAll(() => page?.context().close())

test('DOMPurify removes dangerous HTML in this setup', async () => {
  const html = '<p onclick="x">a</p><script>b</script><a href="javascript:c">d</a>'
  expect(await changedByPurifier([html])).toEqual([{ html, purified: '<p>a</p><a>d</a>' }])
})

test('DOMPurify changes nothing in our output for known attacks', async () => {
  expect(await changedByPurifier(hostileMarkdown.map((text) => renderMarkdown(text, { projectId: 7 })))).toEqual([])
  expect(await changedByPurifier(hostileMarkdown.map((text) => sanitise(text, { projectId: 7 })))).toEqual([])
})

test('DOMPurify changes nothing in our output for random text', async () => {
  const texts = fc.sample(anyHostileText, 1_500)
  expect(await changedByPurifier(texts.map((text) => renderMarkdown(text, { projectId: 7 })))).toEqual([])
  expect(await changedByPurifier(texts.map((text) => sanitise(text, {})))).toEqual([])
})

interface Changed {
  html: string
  purified: string
}

/** Returns the texts that DOMPurify changes, apart from how a browser writes the same elements and attributes. */
function changedByPurifier(texts: readonly string[]): Promise<Changed[]> {
  return page.evaluate((texts) => {
    const { DOMPurify } = globalThis as unknown as { DOMPurify: typeof import('dompurify').default } // defined by its script
    const rewritten = (html: string) => {
      const template = document.createElement('template')
      template.innerHTML = html
      return template.innerHTML
    }
    return texts.flatMap((html) => {
      // Readers write `-->` in titles and headings. SAFE_FOR_XML drops attributes with it, which matters in XML only.
      const purified = DOMPurify.sanitize(html, { SAFE_FOR_XML: false, FORCE_BODY: true })
      return rewritten(purified) === rewritten(html) ? [] : [{ html, purified }]
    })
  }, texts)
}
