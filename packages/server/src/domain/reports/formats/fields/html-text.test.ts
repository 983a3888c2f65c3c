import { expect, test } from 'vitest'
import { htmlText } from './html-text.ts'

test('paragraphs, list items and links of HTML become text', () => {
  expect(htmlText('<p>One &amp; two</p><ul><li>Three</li></ul><a href="https://a.test/">Four</a>')).toEqual({
    text: 'One & two\n\n- ThreeFour',
    links: [{ name: 'Four', url: 'https://a.test/' }],
  })
})

test('HTML with very many open and closing tags is read in linear time', () => {
  const { text } = htmlText(`begin${'<a>x'.repeat(30_000)}${'</b>'.repeat(30_000)}`)
  expect(text).toBe(`begin${'x'.repeat(4000)}`)
})
