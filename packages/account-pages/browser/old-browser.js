// Says what the pages need to a browser that cannot run them. Any browser can run this script: it is no module. Mixed
// colors are the youngest of what the pages use.
if (
  !('noModule' in document.createElement('script')) ||
  !window.CSS ||
  !CSS.supports('color', 'color-mix(in oklab, red, blue)')
) {
  document.getElementById('old-browser').removeAttribute('hidden');
}
