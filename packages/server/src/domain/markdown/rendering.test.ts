import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { renderMarkdown } from './render.ts'
import { closeRendering, renderAside } from './rendering.ts'

afterAll(closeRendering)

const long = '# Title\n\nSome *text* with a [link](https://example.com) and `code`.\n\n'.repeat(300)

test('a long text is rendered like a short one', async () => {
  const context = { projectId: 7 }
  expect(await renderAside(long, 'user 1', context)).toBe(renderMarkdown(long, context))
  expect(await renderAside('*a*', 'user 1', context)).toBe('<p><em>a</em></p>\n')
})

test('the event loop stays responsive while a long text is rendered', async () => {
  await renderAside(long, 'user 1') // the thread is there
  let turns = 0
  let isDone = false
  const rendering = renderAside(long.repeat(4), 'user 1').finally(() => {
    isDone = true
  })
  while (!isDone) {
    await sleep(1)
    turns++
  }
  await rendering
  expect(turns).toBeGreaterThan(10)
})

test('several long texts are rendered concurrently', async () => {
  const texts = Array.from({ length: 6 }, (_, index) => `${index} ${long}`)
  expect(await Promise.all(texts.map((text) => renderAside(text, 'user 1')))).toEqual(
    texts.map((text) => renderMarkdown(text)),
  )
})

test('rendering works again after closing', async () => {
  await closeRendering()
  expect(await renderAside(long, 'user 1')).toContain('<h1')
})
