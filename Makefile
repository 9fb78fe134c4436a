SHELL := /bin/bash
