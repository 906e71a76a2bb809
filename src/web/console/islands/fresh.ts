// Reloads a page that the browser restores from its back/forward cache, since its content may have changed.

window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
