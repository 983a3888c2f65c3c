/// <reference lib="dom" />
import type { Page } from 'playwright-core'

/** Measured values by what was measured. */
export type Figures = Record<string, number>

/**
 * Measures with real input events how long the list takes to react: the longest time from an event to the next frame, as the
 * Event Timing API reports it. Expects a page with the list.
 */
export async function measureInputs(page: Page): Promise<Figures> {
  await page.evaluate(() => {
    const durations: number[] = []
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration)
    })
    Object.assign(globalThis, { durations })
    observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit) // its type lacks the threshold
  })
  const figures: Figures = {}
  const measure = async (name: string, act: () => Promise<unknown>) => {
    await act()
    figures[name] = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))
      const { durations } = globalThis as unknown as { durations: number[] } // defined above
      return Math.max(0, ...durations.splice(0))
    })
  }
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  await page.focus('[role=grid]')
  await measure('keys that move', () => keys('j', 'j', 'j', 'k', 'ArrowDown', 'ArrowUp'))
  await measure('keys that select', () => keys('x', 'J', 'J', 'Escape'))
  await measure('keys that triage', () => keys('c', 'v', 'z', 'z'))
  await measure('key that opens the panel', () => keys('Enter'))
  await measure('key that moves in the panel', () => keys('j', 'j'))
  await measure('key that closes the panel', () => keys('Escape'))
  await measure('keys that scroll by pages', () => keys(...Array.from({ length: 20 }, () => 'PageDown')))
  await measure('wheel over 3,000 rows', async () => {
    for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 2_500)
  })
  await measure('key that returns to the start', () => keys('Home'))
  await measure('press on a filter', () => page.click('[aria-label="By severity"] button:first-child'))
  await measure('press on a header that sorts', () => page.click('[role=columnheader] button'))
  await measure('press on a menu of filters', () => page.getByRole('button', { name: /^Status/ }).click())
  await measure('choice in a menu of filters', () => page.getByRole('menuitemcheckbox').last().click())
  await keys('Escape')
  await measure('key that opens the search', () => keys('Control+k'))
  await page.locator('[role=dialog] [data-first-focus]').waitFor()
  await measure('typing in the search', () => page.keyboard.type('handler42'))
  return figures
}
