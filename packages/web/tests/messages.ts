/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The toasts that are shown. */
export const messages = (page: Page): Locator => page.getByRole('region', { name: 'Messages' }).locator('> *')

/** Returns the names of the elements that a toast overlaps. */
export async function coveredByMessages(page: Page, elements: Locator): Promise<string[]> {
  const shown = await messages(page).evaluateAll((found) =>
    found.map((message) => {
      const { left, right, top, bottom } = message.getBoundingClientRect()
      return { left, right, top, bottom }
    }),
  )
  expect(shown).not.toEqual([])
  return elements.evaluateAll(
    (found, shown) =>
      found
        .filter((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect()
          return shown.some(
            (message) => left < message.right && right > message.left && top < message.bottom && bottom > message.top,
          )
        })
        .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? ''),
    shown,
  )
}

/** Visible links and enabled buttons outside of the toasts. */
export const actions = (page: Page): Locator =>
  page.locator(':is(a[href], button:not(:disabled)):not([aria-label="Messages"] *):visible')
