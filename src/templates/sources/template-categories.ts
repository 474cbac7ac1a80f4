import { Failure } from '../../platform/failure.ts';
import { canonicalId, isUuid } from '../../platform/id.ts';
import type { ProcessType } from '../template-row.ts';

interface Category {
  id: string;
  name: string;
  /** The process type that a template gets when the category is chosen. */
  process_type: ProcessType;
}

/** The categories of GC Notify with its ids, because applications hard-code them. */
const categories: readonly Category[] = [
  { id: '207b293c-2ae5-48e8-836d-fcabd60b2153', name: 'General communication', process_type: 'bulk' },
  { id: '977e2a00-f957-4ff0-92f2-ca3286b24786', name: 'Confirmation', process_type: 'priority' },
  { id: 'e81678c0-4897-4111-b9d0-172f6b595f89', name: 'Decision', process_type: 'bulk' },
  { id: 'e0b8fbe5-f435-4977-8fc8-03f13d9296a5', name: 'Request', process_type: 'normal' },
  { id: 'b6c42a7e-2a26-4a07-802b-123a5c3198a9', name: 'Authentication', process_type: 'priority' },
  { id: '55eb1137-6dc6-4094-9031-f61124a279dc', name: 'Status update', process_type: 'normal' },
  { id: '7c16aa95-e2e1-4497-81d6-04c656520fe4', name: 'Test', process_type: 'bulk' },
  { id: '1d8ce435-a7e5-431b-aaa2-a418bc4d14f9', name: 'Alert', process_type: 'normal' },
  { id: 'edb966f3-4a4c-47a4-96ab-05ff259b919c', name: 'Reminder', process_type: 'normal' },
];

export const categoryNames = categories.map(({ name }) => name);

export function categoryCalled(name: string | null): Category | undefined {
  return categories.find((category) => category.name === name);
}

/** The categories in the format of the public API. */
export const listedCategories = categories.map(({ id, name }) => ({ template_category_id: id, name }));

export function findCategory(id: string): Category | undefined {
  const wanted = canonicalId(id);
  return categories.find((category) => category.id === wanted);
}

/** Returns the columns of a template in this category. */
export function categoryFields(id: string): { category_id: string; process_type: ProcessType } {
  const category = findCategory(id);
  if (!category) throw categoryFailure('TemplateCategoryNotFoundError', 'template_category_id not found');
  return { category_id: category.id, process_type: category.process_type };
}

/**
 * Converts `template_category_id` into columns. Null removes the category; a process type in the request overrides that of the category.
 */
export function withCategory<Request extends { template_category_id?: string | null; process_type?: ProcessType }>({
  template_category_id: id,
  ...request
}: Request) {
  if (id === undefined) return request;
  return id === null ? { category_id: null, ...request } : { ...categoryFields(id), ...request };
}

/** Checked before the rest of the body, as in GC Notify. */
export function refuseUnlessCategoryId(id: unknown): void {
  const code = 'TemplateCategoryValidationError';
  if (id === undefined) throw categoryFailure(code, 'template_category_id is a required property');
  if (!isUuid(id)) throw categoryFailure(code, 'template_category_id must be a valid UUID');
}

/** The error lists the categories that exist. */
function categoryFailure(code: string, message: string): Failure {
  return new Failure('invalid', code, message, { extraFields: { template_categories: listedCategories } });
}
