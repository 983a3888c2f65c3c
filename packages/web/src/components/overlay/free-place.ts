const actions = 'a[href], button:not(:disabled), [data-active]'
const fields = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)'

/** Distances by which toasts move from their corner at the bottom left. */
interface Move {
  right: number
  up: number
}

/**
 * Returns where toasts cover no visible control: as low as possible in the lower half, at the left or else at the right. Without
 * such a place they may cover fields, but no actions; without that either, they stay in their corner.
 */
export function findFreePlace(region: HTMLElement): Move {
  const { width, height, left, bottom } = region.getBoundingClientRect()
  const moved = new DOMMatrix(getComputedStyle(region).transform)
  const [corner, start] = [left - moved.e, bottom - moved.f]
  for (const selector of [`${actions}, ${fields}`, actions]) {
    const controls = [...document.querySelectorAll(selector)]
      .filter((control) => !region.contains(control))
      .map((control) => control.getBoundingClientRect())
    for (const right of [0, document.documentElement.clientWidth - width - 2 * corner]) {
      const [from, to] = [corner + right, corner + right + width]
      const column = controls.filter((control) => control.width > 0 && control.left < to && control.right > from)
      const end = findFreeEnd(column, start, height)
      if (end !== undefined) return { right, up: start - end }
    }
  }
  return { right: 0, up: 0 }
}

/** Returns the lowest end of a part of a column that is free of controls, if the lower half has one. */
function findFreeEnd(controls: readonly DOMRect[], start: number, height: number): number | undefined {
  let end = start
  while (end - height >= innerHeight / 2) {
    const covered = controls.filter((control) => control.top < end && control.bottom > end - height)
    if (covered.length === 0) return end
    end = Math.min(...covered.map((control) => control.top)) - gap
  }
  return undefined
}

/** Distance to the control below. */
const gap = 8
