# Stageboard. `make run` and `make test` need nothing beforehand but Python 3.11 or newer, make and git.

PYTHON ?= python3
SAMPLE ?= sample_models/resnet50.json
OUT    ?= out
ARGS   ?=

VENV := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run test check format bench docs wheel app app-test pins clean

help: ## list what there is to make
	@echo "Stageboard: split a neural network over several devices"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

run: ## open the window on a sample (SAMPLE=file); without a display run the tour and leave pictures in out/
	@$(PYTHON) tools/bootstrap.py --window
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	    exec $(VENV)/stageboard "$(SAMPLE)"; \
	else \
	    echo "No display here: running the guided tour without a window, into $(OUT)/"; \
	    QT_QPA_PLATFORM=offscreen exec $(VENV)/stageboard demo --headless --out "$(OUT)"; \
	fi

test: ## run the tests, then hold the listed files to full coverage (ARGS="tests/planner -k slice" runs only those)
	@$(PYTHON) tools/bootstrap.py --dev --kernels
	@$(VENV)/python tools/run_tests.py $(ARGS)

check: ## formatting, lint, types, import contracts, and the order of the house
	@$(PYTHON) tools/bootstrap.py --dev
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy
	$(VENV)/lint-imports --no-logo --no-cache
	$(VENV)/python tools/check_house.py

format: ## rewrite the sources in the house format and mend what lint can mend
	@$(PYTHON) tools/bootstrap.py --dev
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .

bench: ## measure frames, edits, planners and opening files (not a test)
	@$(PYTHON) tools/bootstrap.py --kernels
	$(VENV)/python -m benchmarks $(ARGS)

docs: ## build the documentation as a site that needs no network, into build/site
	@$(PYTHON) tools/bootstrap.py
	@$(VENV)/python tools/extra.py docs
	@NO_MKDOCS_2_WARNING=1 $(VENV)/mkdocs build --quiet --strict
	@$(VENV)/python tools/site/check.py build/site

app: ## freeze the program with all it needs into dist/stageboard (Linux), and start and drive it
	@$(PYTHON) tools/bootstrap.py
	@$(VENV)/python tools/extra.py app
	$(VENV)/pyinstaller --noconfirm --log-level ERROR --distpath dist --workpath build/app tools/app/stageboard.spec
	@$(MAKE) app-test

app-test: ## start and drive what make app has built
	@$(PYTHON) tools/bootstrap.py --dev
	$(VENV)/python -m pytest tests/test_frozen_app.py

pins: ## write what is installed in .venv to constraints.txt
	@$(PYTHON) tools/bootstrap.py --dev
	$(VENV)/python tools/pins.py

wheel: ## build a wheel and a source archive into dist/
	@$(PYTHON) tools/bootstrap.py
	rm -rf build/lib build/bdist.* dist
	$(VENV)/python -c "from setuptools import build_meta as b; print('dist/' + b.build_sdist('dist')); print('dist/' + b.build_wheel('dist'))" | grep ^dist/
	rm -rf build/lib build/bdist.*

clean: ## remove everything that make made, .venv too
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
