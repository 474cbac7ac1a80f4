export {
  type ServiceState,
  selectGoLiveRequests as listGoLiveRequests,
  selectServicesBySearch as searchServices,
} from './service-search.sql.ts';
