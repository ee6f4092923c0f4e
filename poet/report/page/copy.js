(function () {
  const copy = document.getElementById("copy");
  if (copy && navigator.clipboard) {
    copy.addEventListener("click", function () {
      navigator.clipboard.writeText(document.getElementById("command").textContent).then(function () {
        copy.textContent = "Copied";
      });
    });
  } else if (copy) {
    copy.remove();
  }
})();
