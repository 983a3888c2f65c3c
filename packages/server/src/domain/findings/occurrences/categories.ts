/**
 * A category names the part of a ref that a report covers, such as an image or a folder, when one scanner sends several
 * reports. A report with a category covers the findings of that category; one without covers the whole ref.
 */
export interface Category {
  /** Absent when no report of this category has been imported. */
  id: number | undefined
}

/** Ids of the categories that contain a finding. Loaded only for reports with a category; empty for others. */
export type CategoryIds = readonly number[]

export const isIn = ({ id }: Category, categories: CategoryIds): boolean => id !== undefined && categories.includes(id)

/** Returns true if the report covers the finding, so that the finding is absent when the report does not contain it. */
export const isCovered = (category: Category | undefined, categories: CategoryIds): boolean =>
  !category || isIn(category, categories)

/** Returns true if the report covers the finding and no report of another category contains it. */
export const isCoveredExclusively = (category: Category | undefined, categories: CategoryIds): boolean =>
  isCovered(category, categories) && (!category || categories.length === 1)
