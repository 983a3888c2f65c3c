const actions = 'a[href], button:not(:disabled), [data-active]'

/** Returns by how many pixels toasts must move up to cover no visible action, 0 if nothing in the lower half is free. */
export function findFreePlace(region: HTMLElement): number {
  const { left, right, top, bottom } = region.getBoundingClientRect()
  const moved = new DOMMatrix(getComputedStyle(region).transform).f
  const [start, height] = [bottom - moved, bottom - top]
  const obstacles = [...document.querySelectorAll(actions)]
    .filter((action) => !region.contains(action))
    .map((action) => action.getBoundingClientRect())
    .filter((action) => action.width > 0 && action.left < right && action.right > left)
  let end = start
  for (;;) {
    const covered = obstacles.filter((action) => action.top < end && action.bottom > end - height)
    if (covered.length === 0) return start - end
    end = Math.min(...covered.map((action) => action.top)) - gap
    if (end - height < innerHeight / 2) return 0
  }
}

/** Distance to the action below. */
const gap = 8
