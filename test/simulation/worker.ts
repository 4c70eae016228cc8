// A thread that does one job of the simulation and hands its report back.
import { parentPort, workerData } from 'node:worker_threads'
import { type Job, work } from './jobs.ts'

parentPort?.postMessage(await work(workerData as Job))
