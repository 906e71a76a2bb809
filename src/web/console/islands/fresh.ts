// A page that the browser kept whole, and shows again on the way back, is asked for anew: what it shows has changed since.

window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
