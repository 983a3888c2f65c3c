/// <reference lib="dom" />
import type { Page } from 'playwright-core'

/**
 * Moves the focus backwards through a page, which scrolls below sticky bars, and returns the focused elements that something
 * else covers completely (WCAG 2.4.11).
 */
export async function obscuredOnFocus(page: Page, steps: number): Promise<string[]> {
  const covered: string[] = []
  await page.locator('main :is(a, button, input, select)').filter({ visible: true }).last().focus()
  for (let step = 0; step < steps; step++) {
    const name = await page.evaluate(() => {
      const focused = document.activeElement
      if (!focused || focused === document.body) return undefined
      const { left, right, top, bottom } = focused.getBoundingClientRect()
      const points = [0.1, 0.5, 0.9].flatMap((x) =>
        [0.1, 0.5, 0.9].map((y) => [left + (right - left) * x, top + (bottom - top) * y] as const),
      )
      const isShown = points.some(([x, y]) => {
        const hit = document.elementFromPoint(x, y)
        return hit !== null && (focused.contains(hit) || hit.contains(focused) || hit.closest('label') !== null)
      })
      return isShown ? undefined : focused.outerHTML.slice(0, 120)
    })
    if (name !== undefined) covered.push(name)
    await page.keyboard.press('Shift+Tab')
  }
  return covered
}

/** Returns what is wrong with the rows and the headers of the grids and tables of a page. */
export function listProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const problems: string[] = []
    const nameOf = (element: Element) =>
      element.ariaLabel ??
      document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent ??
      element.textContent
    for (const row of document.querySelectorAll(
      'main [role=grid] [role=row][aria-rowindex]:not([aria-rowindex="1"])',
    )) {
      if (!nameOf(row)?.trim()) problems.push('a row has no name')
      else if (!row.ariaLabel && !row.getAttribute('aria-labelledby')) problems.push('a row is named by all its cells')
    }
    const sortable = [...document.querySelectorAll('main [role=columnheader], main th')].filter((header) =>
      header.querySelector('button'),
    )
    if (sortable.length > 0 && sortable.some((header) => header.ariaSort === null)) problems.push('no aria-sort')
    if (sortable.filter(({ ariaSort }) => ariaSort === 'ascending' || ariaSort === 'descending').length > 1)
      problems.push('sorted by several columns')
    for (const header of document.querySelectorAll('main [role=columnheader], main th')) {
      if (!nameOf(header)?.trim() && !header.querySelector('[aria-label]')) problems.push('a header has no name')
    }
    return [...new Set(problems)]
  })
}
